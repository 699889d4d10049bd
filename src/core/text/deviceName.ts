import { t } from './translate.js';

/** `device 0`; `pinned host memory` for the number that PyTorch gives it, −1. */
export function deviceName(device: number): string {
  return device < 0 ? t('pinned host memory') : t('device {0}', device);
}
