import { countingOf } from '../counting.ts'

const { count } = countingOf('en')

export const en = {
  csv: 'CSV',
  png: 'PNG',
  saveAs: (format: string, title: string) => `${title}, as ${format}`,
  table: 'Table',
  chart: 'Chart',
  tableOf: (title: string) => `${title}, as a table`,
  from: 'From',
  to: 'To',
  nothing: 'nothing',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  keys: 'Drag over the chart to zoom. By keys: arrows go through it, Shift and arrows choose, Enter zooms to that, + and − zoom, Escape zooms out.',
  chosen: (from: string, to: string) => `${from} to ${to} chosen`,
  rows: (from: number, to: number, all: number) => `${from} to ${to} of ${all}`,
  earlier: 'Earlier',
  later: 'Later',
  all: (total: number) => `All ${count(total, 'entry', 'entries')}`,
  fewer: 'Only the first',
  filter: 'Find in the list',
  none: 'Nothing found.',
  weekday: 'Day',
  hour: 'Hour',
  noHour: 'not measured',
}

export type ChartTexts = typeof en
