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
  feature: 'Feature',
  versions: 'Versions',
  rows: (value: number) => count(value, 'row', 'rows'),
  causes: (cause: string) => versionCauses.get(cause) ?? cause,
  now: 'now',
  putBack: 'Put back',
  restored: (version: number) => `Version ${version} is back, as a new one.`,
  useItIn: 'Use it in',
  copy: 'Copy',
  qgis: 'Layer, Add Layer, Add WFS / OGC API Features Layer: a new connection with this address.',
  table: 'Table',
  shown: (from: number, to: number, all: number) => `${number(from)} to ${number(to)} of ${number(all)}`,
  before: 'Before',
  after: 'Next',
}

export type LayerTexts = typeof en
