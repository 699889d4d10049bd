/** Numbers that nearly all data from outside is made of. */
import * as v from 'valibot';

/** Never endless, never NaN. */
export const finite = v.pipe(v.number(), v.finite());
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
