import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const reasons = new Map([
  ['row-not-read', 'Could not be read'],
  ['row-not-transformed', 'Could not be transformed'],
  ['row-not-stored', 'The table refuses it'],
])

export const en = {
  setAside: (rows: number) => `${count(rows, 'row', 'rows')} set aside`,
  sums: (read: number, loaded: number, mended: number, rejected: number) =>
    `${number(read)} rows read = ${number(loaded)} loaded + ${mended > 0 ? `${number(mended)} mended + ` : ''}${number(rejected)} set aside.`,
  inUse: 'The layer is in use without them. Mend them here and send them again, or mend the file.',
  firstOnes: (shown: number) => `The first ${number(shown)} are shown. The others are mended in the file.`,
  notLoaded:
    'Nothing is loaded: more were set aside than the limit allows. Load the others, or mend the data.',
  loadOthers: (rows: number) => `Load the other ${count(rows, 'row', 'rows')}`,
  allReasons: 'All',
  reasons: (code: string) => reasons.get(code) ?? code,
  row: 'Row',
  rowNamed: (row: number) => `Row ${number(row)}`,
  reason: 'Reason',
  column: 'Column',
  value: 'Value, to be mended',
  outcome: 'Then',
  willBeSent: 'will be sent',
  asItWas: 'as it was',
  inFile: 'Mend it in the file',
  mendedOf: (mended: number, all: number) => `${number(mended)} of ${number(all)} mended.`,
  send: (rows: number) => `Send ${count(rows, 'row', 'rows')} again`,
  download: 'As a file',
  sendFile: 'Send a mended file',
  sentLast: (sent: number, loaded: number, rejected: number, refused: number) =>
    `Of ${count(sent, 'row that was', 'rows that were')} sent ${number(loaded)} ${loaded === 1 ? 'is' : 'are'} loaded, ${number(rejected)} set aside again${refused > 0 ? `, ${number(refused)} refused` : ''}.`,
  mendingFailed: 'What was sent could not be loaded.',
  undo: 'Undo',
  redo: 'Redo',
  undone: 'Undone.',
  redone: 'It is back.',
  undoHint:
    'Puts the layer back to what it was before this import; a new layer is deleted. It can be redone.',
}

export type EndTexts = typeof en
