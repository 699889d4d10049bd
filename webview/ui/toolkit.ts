/** Registers the toolkit's elements that this folder uses. Import it before creating one of them. */
import './controls.css';
import './nonce.js';
import {
  type Button,
  type Checkbox,
  type Dropdown,
  type Option,
  type Radio,
  type RadioGroup,
  type TextField,
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeProgressRing,
  vsCodeRadio,
  vsCodeRadioGroup,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

provideVSCodeDesignSystem().register(
  vsCodeButton(),
  vsCodeCheckbox(),
  vsCodeDropdown(),
  vsCodeOption(),
  vsCodeProgressRing(),
  vsCodeRadio(),
  vsCodeRadioGroup(),
  vsCodeTextField(),
);

declare global {
  interface HTMLElementTagNameMap {
    'vscode-button': Button;
    'vscode-checkbox': Checkbox;
    'vscode-dropdown': Dropdown;
    'vscode-option': Option;
    'vscode-radio': Radio;
    'vscode-radio-group': RadioGroup;
    'vscode-text-field': TextField;
  }
}
