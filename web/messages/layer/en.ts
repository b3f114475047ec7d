import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const versionCauses = new Map([
  ['import', 'imported'],
  ['restore', 'put back'],
  ['edit', 'edited'],
  ['style', 'style or title changed'],
  ['outside', 'changed by another program'],
  ['delete', 'deleted'],
])

export const en = {
  map: 'Map of the layer',
  style: 'Style',
  versions: 'Versions',
  rows: (value: number) => count(value, 'row', 'rows'),
  causes: (cause: string) => versionCauses.get(cause) ?? cause,
  now: 'now',
  putBack: 'Put back',
  restored: (version: number) => `Version ${version} is back, as a new one.`,
  table: 'Table',
  row: 'Row',
  tableRows: 'Rows; arrow keys choose one',
  chosenRow: (row: number) => `Row ${number(row)} is chosen.`,
  onlyInSight: 'Only what the map shows',
  inSight: (value: number) => `${count(value, 'row', 'rows')} in sight`,
  noRows: 'The layer has no rows.',
  noneInSight: 'No row lies in what the map shows. Move the map, or show all rows.',
}

export type LayerTexts = typeof en
