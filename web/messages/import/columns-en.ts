import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const types = new Map([
  ['text', 'Text'],
  ['boolean', 'Yes or no'],
  ['int16', 'Small integer'],
  ['int32', 'Integer'],
  ['int64', 'Large integer'],
  ['float32', 'Short number'],
  ['float64', 'Number'],
  ['decimal', 'Exact number'],
  ['date', 'Date'],
  ['time', 'Time'],
  ['timestamp', 'Date and time'],
  ['binary', 'Bytes'],
])
const steps = new Map([
  ['AttributeRemapTransform', 'Change the type of a column'],
  ['AttributesToPointGeometryTransform', 'Make points of columns'],
  ['CreateIndexTransform', 'Index a column'],
  ['DateFormatTransform', 'Read dates by a pattern'],
  ['IntegerFieldToDateTransform', 'Make dates of years'],
  ['ReprojectTransform', 'Take it to another CRS'],
  ['RasterOverviewTransform', 'Add overviews'],
  ['RasterTranslateTransform', 'Translate the raster'],
  ['RasterWarpTransform', 'Warp the raster'],
])
const parameters = new Map([
  ['field', 'Column'],
  ['target', 'Becomes'],
  ['source', 'From'],
  ['latField', 'Latitude or northing'],
  ['lngField', 'Longitude or easting'],
  ['pointFieldName', 'Name of the geometry'],
  ['preserveGeometry', 'Keep the old geometry as a column'],
  ['combined', 'Both stand in one column'],
  ['format', 'Pattern'],
  ['options', 'Options, one a line'],
  ['levels', 'Levels'],
])

export const columnsEn = {
  rows: 'Rows',
  row: 'Row',
  counts: (rows: number, columns: number) =>
    `${count(rows, 'row', 'rows')}, ${count(columns, 'column', 'columns')}`,
  rejected: (value: number) => `${count(value, 'row', 'rows')} cannot be loaded`,
  noRows: 'There is no row.',
  noValue: 'empty',
  choose: (row: number) => `Choose row ${number(row)}`,
  bring: (name: string) => `Bring ${name}`,
  bringAgain: (name: string) => `Bring ${name} again`,
  rename: (name: string) => `Name of ${name}`,
  type: (name: string) => `Type of ${name}`,
  typeOf: (type: string) => types.get(type) ?? type,
  least: 'Smallest value',
  greatest: 'Largest value',
  full: 'full',
  empty: (share: string) => `${share} empty`,
  distinct: (value: number, isExact: boolean) => `${isExact ? '' : '~'}${number(value)} distinct`,
  frequent: (values: string) => `Most frequent: ${values}`,
  often: (values: string) => values,
  leftOut: (value: number) => `${count(value, 'column does', 'columns do')} not come:`,
  steps: 'Steps',
  stepsHint: 'What is done to each row before it is loaded, one after the other.',
  noSteps: 'Rows come as they are.',
  addStep: 'Add a step',
  kindOfStep: 'What is done',
  add: 'Add',
  save: 'Change',
  stop: 'Leave it',
  up: (step: string) => `Move ${step} up`,
  down: (step: string) => `Move ${step} down`,
  edit: (step: string) => `Change ${step}`,
  removeStep: (step: string) => `Remove ${step}`,
  moved: (step: string, place: number) => `${step} is number ${place} now.`,
  stepOf: (type: string) => steps.get(type) ?? type,
  parameter: (name: string) => parameters.get(name) ?? name,
  chooseOne: 'Choose',
}

export type ColumnsTexts = typeof columnsEn
