import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

export const sendingEn = {
  title: 'Import data',
  drop: 'Drop files, folders or zips anywhere on this page',
  dropHint: 'An interrupted upload resumes where it stopped. Upload the files of a data set together.',
  formats: 'Shapefile, GeoPackage, GeoJSON, CSV, Excel, KML, GeoTIFF and more',
  chooseFiles: 'Choose files',
  chooseFolder: 'Choose a folder',
  letGo: 'Let go to add them',
  summary: (files: number, sets: number) =>
    `${count(files, 'file', 'files')}, ${count(sets, 'dataset', 'datasets')}`,
  file: 'Dataset',
  size: 'Size',
  state: 'State',
  acts: 'What to do',
  parts: (value: number, names: string) => `with ${value > 8 ? count(value, 'part', 'parts') : names}`,
  inFolder: (folder: string) => `in ${folder}`,
  missing: {
    shp: 'Without the .shp file there are no geometries: the data would be a table.',
    shx: 'Without its .shx it is read from end to end: slower, nothing is lost.',
    dbf: 'Without its .dbf it would have no columns.',
    prj: 'Without its .prj file you will have to choose the CRS.',
  },
  dropMissing: (endings: string) => `Drop the ${endings} here to add it.`,
  dropAll: (endings: string) => `Drop ${endings} here to add them.`,
  or: 'and',
  states: {
    waiting: 'Waits for its turn',
    sending: 'On its way',
    paused: 'Paused',
    trying: 'Tries again',
    done: 'All there',
    refused: 'Rejected',
    absent: 'Drop it again to go on',
  },
  partMissing: 'Part missing',
  unreadable: 'The file was changed or moved. Drop it again.',
  progress: (sent: string, all: string) => `${sent} of ${all}`,
  rate: (bytes: string) => `${bytes}/s`,
  left: (time: string) => `${time} left`,
  of: (name: string) => `Upload of ${name}`,
  pause: (name: string) => `Pause ${name}`,
  goOn: (name: string) => `Go on with ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeAll: 'Remove all',
  pauseAll: 'Pause all',
  goOnAll: 'Go on with all',
  fromBefore: 'from an earlier visit',
  kept: 'Nothing is imported yet. Files stay here for a day if you close the page.',
  look: (value: number) => `Look at ${count(value, 'dataset', 'datasets')}`,
  more: (value: number) => `And ${number(value)} more.`,
  cut: (most: number) =>
    `Too many files: only the first ${number(most)} files are taken. Send the others as a zip.`,
  unread: (names: string) => `The browser could not read ${names}.`,
  findFailed: 'Files of earlier visits are not known.',
}

export type SendingTexts = typeof sendingEn
