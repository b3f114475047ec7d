import { describe } from 'node:test'
import { testReadersDuringRestores } from '../../support/versions-while-read.ts'

describe('readers while layers are restored', () => {
  testReadersDuringRestores(
    [
      ['file', 'REPLACE', false],
      ['table', 'REPLACE', false],
      ['table', 'REPLACE', true],
      ['file', 'APPEND', false],
      ['table', 'APPEND', false],
    ],
    6,
  )
})
