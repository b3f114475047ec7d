import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const ruleNames = new Map([
  ['removed', 'Rows that would be removed'],
  ['changed', 'Rows that would change'],
  ['empty', 'Rows without a value'],
  ['values', 'Values out of range'],
  ['columns', 'Added and removed columns'],
  ['crs', 'Another coordinate system'],
  ['outside', 'Rows outside of an area'],
  ['fewer', 'Number of rows'],
])
const phaseNames = new Map([
  ['waiting', 'Waits for its turn'],
  ['transforming', 'Is being transformed'],
  ['loading', 'Rows are read and loaded'],
  ['committing', 'Is being checked and put in place'],
  ['publishing', 'Is being published'],
  ['done', 'Done'],
])
const columnChanges = new Map([
  ['gained', 'One column more'],
  ['lost', 'One column less'],
])

export const decidingEn = {
  workspace: 'Workspace',
  store: 'Store',
  isNew: 'It is a new layer.',
  isThere: (rows: string | undefined, day: string) =>
    rows === undefined
      ? `It is there already, changed ${day}.`
      : `It is there already: ${rows}, changed ${day}.`,
  lookAtIt: 'Look at it',
  getsNumber: 'The new one gets a number behind its name.',
  nothingThere: 'No layer of this name is there.',
  keys: 'Rows are the same by',
  otherKey: 'Other key',
  keysNeeded: 'Choose the columns that identify a row.',
  keysHelp: 'With a key, changed rows are distinguished from removed and added rows.',
  keysLooked: 'Searching for suitable columns.',
  noKeys: 'No column has a value of its own in every row.',
  anotherColumn: 'Another column',
  deleteMissing: 'Remove rows that are missing in the data',
  limits: 'Limits: stop a load that looks wrong',
  limitsSet: (value: number) => `Limits: ${count(value, 'rule is', 'rules are')} set`,
  stopWhere: 'Stop before anybody sees it, where',
  moreThan: 'more than',
  mostRejected: 'Maximum number of rejected rows, as a number or percent',
  areRejected: 'rows are rejected (a number or 5%)',
  removedPercent: 'Percent of rows that may be removed',
  areRemoved: 'of the rows would be removed',
  changedPercent: 'Percent of rows that may change',
  areChanged: 'of the rows would change',
  fewerThan: 'fewer than',
  fewestRows: 'Minimum number of rows',
  rowsCome: 'rows in the data',
  columnsRule: 'Columns',
  columnsFree: 'columns may be added and removed',
  columnsLost: 'a column is missing',
  columnsAny: 'any column is added, removed or changes its type',
  otherCrs: 'it has another coordinate system than the layer',
  emptyPercent: (name: string) => `Percent of rows without ${name}`,
  lackValue: 'of the rows lack',
  emptyColumn: 'a column has too many gaps',
  valuesColumn: 'a column has values that it should not have',
  isLess: 'is less than',
  orMore: 'or more than',
  orNone: 'or none of',
  commas: 'separated by commas',
  leastOf: (name: string) => `Least value of ${name}`,
  mostOf: (name: string) => `Greatest value of ${name}`,
  allowedOf: (name: string) => `Values that ${name} may have`,
  removeValues: (name: string) => `No limit for ${name}`,
  outsideOf: 'a row reaches beyond this area of the layer:',
  boxHint: 'Four numbers: west, south, east and north in the coordinates of the layer.',
  rules: (rule: string) => ruleNames.get(rule) ?? rule,
  limitIs: (text: string) => `limit ${text}`,
  measured: (text: string) => `found ${text}`,
  rows: (value: number) => count(value, 'row', 'rows'),
  stopped: 'A limit stopped this load',
  stoppedHint: 'Nothing was changed. Correct the data, change the limit, or accept this load.',
  accept: 'Let this load through',
  difference: 'What would change',
  tryIt: 'Start dry run',
  tryAgain: 'Repeat dry run',
  tryHint:
    'Dry run: loads everything except the final commit. Running the import afterwards reuses the loaded data.',
  wouldStop: 'A limit would stop this load.',
  wouldRead: (read: number, load: number, rejected: number) =>
    `${count(read, 'row is', 'rows are')} read, ${number(load)} would be loaded, ${number(rejected)} rejected.`,
  matchedBy: (keys: string) => `Rows are matched by ${keys}.`,
  noMatch: 'Without a key, a changed row counts as one removed and one added row.',
  added: 'added',
  changed: 'changed',
  removed: 'removed',
  same: 'same',
  column: (change: string, name: string, from: string | undefined, to: string | undefined) =>
    change === 'type'
      ? `Column ${name} becomes ${to ?? ''}, it was ${from ?? ''}.`
      : `${columnChanges.get(change) ?? change}: ${name}.`,
  geometry: ({ empty, invalid, repaired }: { empty: number; invalid: number; repaired: number }) =>
    `Geometries: ${number(repaired)} repaired, ${number(invalid)} invalid, ${number(empty)} missing.`,
  rejects: (value: number, field: string | undefined, reason: string) =>
    `${count(value, 'row', 'rows')} rejected${field === undefined ? '' : `, ${field}`}: ${reason}.`,
  example: (row: number, value: string | undefined) =>
    value === undefined ? `row ${number(row)}` : `row ${number(row)}: “${value.slice(0, 80)}”`,
  notTried: (text: string) => `Not part of the dry run: ${text}`,
  differenceMap: 'The difference on the map',
  shownChanges: 'Changes that are shown',
  all: 'All',
  allAsCsv: 'All as CSV',
  firstRows: (shown: number, all: number) => `The first ${number(shown)} of ${number(all)}.`,
  noChanges: 'No row changes.',
  samples: 'Changed rows',
  what: 'Change',
  phases: (phase: string) => phaseNames.get(phase) ?? phase,
  left: (time: string) => `about ${time} left`,
  readOf: (total: string) => `read of ${total}`,
  rowsASecond: 'rows a second',
  mayClose: 'You may close this page. The import continues; open this address again to see its progress.',
  tried: 'Dry run in progress. No data are changed.',
  failed: (value: number) => `${count(value, 'layer has', 'layers have')} failed.`,
  cancelled: (value: number) => `${count(value, 'layer was', 'layers were')} cancelled.`,
  open: (value: number) => `${count(value, 'layer needs', 'layers need')} an answer.`,
}

export type DecidingTexts = typeof decidingEn
