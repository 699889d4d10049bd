import type { Import } from '../../python/ast.js';
import type { PythonModule } from '../../python/pythonModule.js';
import { FlowNode } from '../values/flowNode.js';
import { Scope, valueOf, type Value } from '../values/things.js';
import type { Activation } from './activation.js';
import { Part } from './follower.js';

/** Follows imports: of files of the workspace, and of libraries. */
export class Imports extends Part {
  importNames(statement: Import, act: Activation): void {
    const { module } = act.scope;
    const { names } = act.scope;
    for (const { name, as } of statement.names) {
      if (statement.module === '') {
        const found = this.machine.sources.imported(module, as === name ? name.split('.')[0] : name);
        const bound = as === name ? name.split('.')[0] : as;
        names.set(bound, found === null ? libraryValue(as === name ? bound : name) : this.moduleValue(found));
        continue;
      }
      const from = this.machine.sources.imported(module, statement.module);
      if (name === '*') {
        if (from !== null) for (const [key, value] of this.moduleScope(from).names) names.set(key, value);
        continue;
      }
      const value = from === null ? undefined : this.moduleScope(from).names.get(name);
      const inner =
        value === undefined
          ? this.machine.sources.imported(
              module,
              `${statement.module}${statement.module.endsWith('.') ? '' : '.'}${name}`,
            )
          : null;
      if (value !== undefined) names.set(as, value);
      else if (inner !== null) names.set(as, this.moduleValue(inner));
      else names.set(as, from === null ? libraryValue(`${statement.module}.${name}`) : valueOf(new FlowNode(1)));
    }
  }

  private moduleValue(module: PythonModule): Value {
    return valueOf(new FlowNode(0), [{ kind: 'module', scope: this.moduleScope(module) }]);
  }

  /** The names of a module, as its own statements make them. */
  moduleScope(module: PythonModule): Scope {
    const { machine } = this;
    let scope = machine.scopes.get(module);
    if (scope === undefined) {
      scope = new Scope(module, null);
      machine.scopes.set(module, scope);
      const { loops } = machine;
      machine.loops = [];
      this.follower.block(module.body, { scope, def: null, frame: null, returned: [], depth: 2, context: null });
      machine.loops = loops;
    }
    return scope;
  }
}

function libraryValue(name: string): Value {
  return valueOf(new FlowNode(0), [{ kind: 'library', name }]);
}
