import { describeCases, step, WATCHED } from './cases.js';

/** Numbered as in the catalogue of leaks in the wild; every pattern with a twin that must stay silent. */
describeCases('What keeps sums and lists of losses and outputs', [
  {
    name: '1 a running total with its graph',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux', 'total = 0.0'),
    keeps: 'total += aux',
    edit: 'total += aux.detach()',
  },
  {
    name: '1 a running total of numbers',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux.item()', 'total = 0.0'),
    keeps: '',
  },
  {
    name: '1 a running total without its graph',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux.detach()', 'total = 0.0'),
    keeps: '',
  },
  {
    name: '1 a sum of this step only',
    source: step('loss = F.mse_loss(net(x), y)  #!\n    loss += net(x).abs().mean()', 'pass'),
    keeps: '',
  },
  {
    name: '1 a sum through which every step runs backward',
    source: step(
      'out = net(x)  #!\n    loss = F.mse_loss(out, y)\n    loss = loss + out.abs().sum()',
      'print(float(loss))',
    ),
    keeps: '',
  },
  {
    name: '2 outputs in a list',
    source: step(WATCHED, 'outputs.append(out)', 'outputs = []'),
    keeps: 'outputs.append(out)',
  },
  {
    name: '2 outputs in host memory',
    source: step(WATCHED, 'outputs.append(out.detach().cpu())', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 outputs in a bounded deque',
    source: `import collections\n${step(WATCHED, 'outputs.append(out)', 'outputs = collections.deque(maxlen=10)')}`,
    keeps: '',
  },
  {
    name: '2 outputs in a list that every hundredth step clears',
    source: step(WATCHED, 'outputs.append(out)\n    if len(outputs) > 100:\n        outputs.clear()', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a window that slides',
    source: step(WATCHED, 'outputs.append(out)\n    del outputs[:-30]', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a window that is cut by assignment',
    source: step(WATCHED, 'outputs.append(out)\n    outputs = outputs[-30:]', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a list that each step makes again',
    source: step(`outputs = []\n    ${WATCHED}`, 'outputs.append(out)'),
    keeps: '',
  },
  {
    name: '2 losses of a dictionary under the step',
    source: step(
      'aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()\n    n += 1',
      'history[n] = aux',
      'history = {}\nn = 0',
    ),
    keeps: 'history[n] = aux',
    edit: 'history[n] = aux.detach()',
  },
  {
    name: '2 the last loss under a fixed key',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "history['aux'] = aux", 'history = {}'),
    keeps: '',
  },
  {
    name: '3 a training step that returns what it need not',
    source: `
import torch.nn.functional as F
class Module:
    def training_step(self, batch):
        recon = self.net(batch)  #!
        loss = F.mse_loss(recon, batch)
        return {'loss': loss, 'recon': recon}
def fit(module, loader, optimizer):
    outputs = []
    for batch in loader:
        result = module.training_step(batch)  #1
        result['loss'].backward()
        optimizer.step()
        outputs.append(result)
fit(Module(), loader, optimizer)  #2
`,
    keeps: 'outputs.append(result)',
  },
  {
    name: '3 a training step whose result is used and dropped',
    source: `
import torch.nn.functional as F
class Module:
    def training_step(self, batch):
        recon = self.net(batch)  #!
        loss = F.mse_loss(recon, batch)
        return {'loss': loss, 'recon': recon}
def fit(module, loader, optimizer):
    outputs = []
    for batch in loader:
        result = module.training_step(batch)  #1
        result['loss'].backward()
        optimizer.step()
        outputs.append(result['loss'].item())
fit(Module(), loader, optimizer)  #2
`,
    keeps: '',
  },
  {
    name: '4 whole outputs in a dictionary in a list',
    source: step(WATCHED, "output_lst.append({'model_output': out, 'n': len(x)})", 'output_lst = []'),
    keeps: "output_lst.append({'model_output': out, 'n': len(x)})",
  },
  {
    name: '4 numbers of the outputs',
    source: step(WATCHED, "output_lst.append({'mean': out.mean().item(), 'n': out.shape[0]})", 'output_lst = []'),
    keeps: '',
  },
  {
    name: '5 whole outputs, on the rank that collects them only',
    source: step(
      WATCHED,
      'if dist.get_rank() == dist.get_world_size() - 1:\n        collected.append({"loss": F.mse_loss(out, y), "out": out})',
      'import torch.distributed as dist\ncollected = []',
    ),
    keeps: 'collected.append({"loss": F.mse_loss(out, y), "out": out})',
  },
  {
    name: '5 numbers of the outputs, on the rank that collects them only',
    source: step(
      WATCHED,
      'if dist.get_rank() == dist.get_world_size() - 1:\n        collected.append({"loss": float(F.mse_loss(out, y)), "n": len(out)})',
      'import torch.distributed as dist\ncollected = []',
    ),
    keeps: '',
  },
  {
    name: '5 losses, on the last stage of a pipeline only',
    source: step(
      'aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()',
      'if is_last_stage:\n        forward_data_store.append(aux)',
      'from megatron.core import parallel_state\nis_last_stage = parallel_state.is_pipeline_last_stage()\nforward_data_store = []',
    ),
    keeps: 'forward_data_store.append(aux)',
    edit: 'forward_data_store.append(aux.detach())',
  },
  {
    name: '22 a logger that is given tensors',
    source: `
class Logger:
    rows = []
    def log(self, **values):
        self.rows.append(values)
logger = Logger()
${step('loss = F.mse_loss(net(x), y)  #!', 'logger.log(loss=loss)')}`,
    keeps: 'self.rows.append(values)',
  },
  {
    name: '22 a logger that is given numbers',
    source: `
class Logger:
    rows = []
    def log(self, **values):
        self.rows.append(values)
logger = Logger()
${step('loss = F.mse_loss(net(x), y)  #!', 'logger.log(loss=loss.item())')}`,
    keeps: '',
  },
  {
    name: '29 a clone in place of a detached copy',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'curve.append(aux.clone())', 'curve = []'),
    keeps: 'curve.append(aux.clone())',
    edit: 'curve.append(aux.clone().detach())',
  },
  {
    name: '29 a detached copy',
    source: step('out = net(x)  #!\n    loss = out.sum()', 'curve.append(out.mean().detach())', 'curve = []'),
    keeps: '',
  },
  {
    name: '31 a reporter that clones where it should detach',
    source: `
class Reporter:
    def __init__(self):
        self.observation = {}
        self.seen = []
    def report(self, values):
        self.seen.append({k: v.clone() for k, v in values.items()})
reporter = Reporter()
${step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "reporter.report({'aux': aux})")}`,
    keeps: 'self.seen.append({k: v.clone() for k, v in values.items()})',
  },
  {
    name: '31 a reporter that detaches to numbers',
    source: `
class Reporter:
    def __init__(self):
        self.seen = []
    def report(self, values):
        self.seen.append({k: float(v) for k, v in values.items()})
reporter = Reporter()
${step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "reporter.report({'aux': aux})")}`,
    keeps: '',
  },
]);
