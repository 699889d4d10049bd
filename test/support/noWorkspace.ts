import type { OwnerSearch } from '../../src/core/attribution/owner.js';

/** Finds owners where no file is mapped and no report was made. */
export const noWorkspace: OwnerSearch = { lookup: () => null, stacklessHolder: null };
