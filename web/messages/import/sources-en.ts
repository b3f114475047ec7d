import { countingOf } from '../counting.ts'

const { count } = countingOf('en')

export const sourcesEn = {
  title: 'Or from somewhere else',
  address: 'Address',
  addressHint: 'https, ftp, sftp and s3, such as https://example.org/roads.zip',
  withLogin: 'With a login',
  user: 'User',
  password: 'Password',
  passwordHint: 'The password is stored encrypted and not shown again.',
  look: 'Look at it',
  roots: 'Folders that imports may read',
  upward: 'One folder up',
  emptyFolder: 'This folder is empty.',
  moreFiles: 'There are more files. Import the whole folder.',
  asMosaic: 'All rasters as one mosaic',
  wholeFolder: 'Look at this folder',
  kindOfDatabase: 'Kind',
  databaseFile: 'File on the server',
  databaseFileHint: 'Its path, below a folder that imports may read',
  host: 'Host',
  port: 'Port',
  database: 'Database',
  schema: 'Schema',
  encryption: 'Encryption',
  findTables: 'List its tables',
  noGeometry: 'without geometry',
  adminsOnly: 'Administrators alone import from databases.',
  into: (name: string) => `Into ${name}`,
  lookAt: (name: string) => `Look at ${name}`,
  names: { address: 'An address', folder: 'A folder on the server', database: 'A database' },
  hints: {
    address: 'https, ftp, sftp, s3',
    folder: 'Files, folders and mosaics of rasters',
    database: 'PostGIS, MySQL, GeoPackage, SpatiaLite',
  },
  tables: (value: number) => count(value, 'table', 'tables'),
  takeTables: (value: number) => `Look at ${count(value, 'table', 'tables')}`,
  rows: (value: number) => count(value, 'row', 'rows'),
}

export type SourcesTexts = typeof sourcesEn
