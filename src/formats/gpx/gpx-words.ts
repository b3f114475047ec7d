import { WordTable } from '../xml/word-table.ts'

/** Elements that are not fields. */
const structure = [
  'gpx',
  'wpt',
  'rte',
  'trk',
  'trkseg',
  'rtept',
  'trkpt',
  'extensions',
  'link',
  'text',
] as const
const fields = [
  'ele',
  'time',
  'magvar',
  'geoidheight',
  'name',
  'cmt',
  'desc',
  'src',
  'url',
  'urlname',
  'sym',
  'number',
  'type',
  'fix',
  'sat',
  'hdop',
  'vdop',
  'pdop',
  'ageofdgpsdata',
  'dgpsid',
  'course',
  'speed',
] as const

export const words = [...structure, ...fields] as const
export type GpxWord = (typeof words)[number]
/** Elements whose text is a field of the same name. */
export const fieldWords: readonly (typeof fields)[number][] = fields

export const wordTable = new WordTable(words)
