import { describe } from 'node:test'
import { testReadersDuringRestores } from '../../support/versions-while-read.ts'

describe('readers while layers are restored', () => {
  // tests/release/models/versions-while-read.test.ts has both stores with both modes, and more restores.
  testReadersDuringRestores(
    [
      ['file', 'REPLACE', false],
      ['table', 'REPLACE', true],
    ],
    2,
  )
})
