import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const reasons = new Map([
  ['row-not-read', 'Could not be read'],
  ['row-not-transformed', 'Could not be transformed'],
  ['row-not-stored', 'The table refuses it'],
])

export const en = {
  setAside: (rows: number) => `${count(rows, 'row', 'rows')} rejected`,
  sums: (read: number, loaded: number, corrected: number, rejected: number) =>
    `${number(read)} rows read = ${number(loaded)} loaded + ${corrected > 0 ? `${number(corrected)} corrected + ` : ''}${number(rejected)} rejected.`,
  inUse:
    'The layer is published without these rows. Correct them here and submit them again, or correct the file.',
  firstOnes: (shown: number) => `The first ${number(shown)} are shown. Correct the others in the file.`,
  notLoaded:
    'Nothing is loaded: more rows were rejected than the limit allows. Load the other rows, or correct the data.',
  loadOthers: (rows: number) => `Load the other ${count(rows, 'row', 'rows')}`,
  allReasons: 'All',
  reasons: (code: string) => reasons.get(code) ?? code,
  row: 'Row',
  rowNamed: (row: number) => `Row ${number(row)}`,
  reason: 'Reason',
  column: 'Column',
  value: 'Value to correct',
  outcome: 'Then',
  willBeSent: 'will be sent',
  asItWas: 'as it was',
  inFile: 'Correct it in the file',
  correctionsOf: (corrected: number, all: number) => `${number(corrected)} of ${number(all)} corrected.`,
  send: (rows: number) => `Send ${count(rows, 'row', 'rows')} again`,
  download: 'As a file',
  sendFile: 'Submit a corrected file',
  sentLast: (sent: number, loaded: number, rejected: number, refused: number) =>
    `Of ${count(sent, 'row that was', 'rows that were')} sent ${number(loaded)} ${loaded === 1 ? 'is' : 'are'} loaded, ${number(rejected)} rejected again${refused > 0 ? `, ${number(refused)} refused` : ''}.`,
  correctionFailed: 'What was sent could not be loaded.',
  undo: 'Undo',
  redo: 'Redo',
  undone: 'Undone.',
  redone: 'It is back.',
  undoHint:
    'Restores the layer as it was before this import; a new layer is deleted. Afterwards you can redo the import.',
}

export type EndTexts = typeof en
