/** The page has its texts as data. This module comes before all that make one. */
import { useTranslations, type Translations } from '../../src/core/text/translate.js';

useTranslations(JSON.parse(document.getElementById('texts')?.textContent ?? '{}') as Translations);
