/** The form of commit subjects that lint asks for. */
import assert from 'node:assert/strict';
import { complaintAbout } from '../../../scripts/lib/commitSubjects.mjs';

describe('The subject of a commit', () => {
  it('is area, colon, an imperative', () => {
    for (const subject of [
      'cli: test the new names',
      'report, cli: process ranks',
      'test/ui: share servers',
      'lint: need less',
    ]) {
      assert.equal(complaintAbout(subject), null);
    }
  });

  it('is refused without an area, in another tense, or where it is too long', () => {
    assert.match(complaintAbout('Test the new names') ?? '', /no area/);
    assert.match(complaintAbout('cli: tests the new names') ?? '', /'tests' is not imperative/);
    assert.match(complaintAbout('cli: added a test') ?? '', /'added'/);
    assert.match(complaintAbout('cli: adding a test') ?? '', /'adding'/);
    assert.match(complaintAbout(`cli: ${'do '.repeat(30)}`) ?? '', /95 characters/);
  });
});
