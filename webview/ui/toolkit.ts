/** Registers the toolkit's elements that this folder uses. Import it before creating one of them. */
import './controls.css';
import './nonce.js';
import {
  type Button,
  type Checkbox,
  type Dropdown,
  type Option,
  type PanelTab,
  type Panels,
  type PanelView,
  type TextField,
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodePanels,
  vsCodePanelTab,
  vsCodePanelView,
  vsCodeProgressRing,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

provideVSCodeDesignSystem().register(
  vsCodeButton(),
  vsCodeCheckbox(),
  vsCodeDropdown(),
  vsCodeOption(),
  vsCodePanels(),
  vsCodePanelTab(),
  vsCodePanelView(),
  vsCodeProgressRing(),
  vsCodeTextField(),
);

declare global {
  interface HTMLElementTagNameMap {
    'vscode-button': Button;
    'vscode-checkbox': Checkbox;
    'vscode-dropdown': Dropdown;
    'vscode-option': Option;
    'vscode-panel-tab': PanelTab;
    'vscode-panel-view': PanelView;
    'vscode-panels': Panels;
    'vscode-text-field': TextField;
  }
}
