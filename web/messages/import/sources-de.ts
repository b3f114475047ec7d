import { countingOf } from '../counting.ts'
import type { SourcesTexts } from './sources-en.ts'

const { count } = countingOf('de')

export const sourcesDe: SourcesTexts = {
  title: 'Oder von woanders',
  address: 'Adresse',
  addressHint: 'https, ftp, sftp und s3, etwa https://example.org/roads.zip',
  withLogin: 'Mit Anmeldung',
  user: 'Benutzer',
  password: 'Passwort',
  passwordHint: 'Es wird verschlossen aufbewahrt und hier nicht wieder gezeigt.',
  look: 'Ansehen',
  roots: 'Ordner, die Importe lesen dürfen',
  upward: 'Ein Ordner höher',
  emptyFolder: 'Dieser Ordner ist leer.',
  moreFiles: 'Es gibt mehr. Nehmen Sie den ganzen Ordner.',
  asMosaic: 'Alle Raster als ein Mosaik',
  wholeFolder: 'Diesen Ordner ansehen',
  kindOfDatabase: 'Art',
  databaseFile: 'Datei auf dem Server',
  databaseFileHint: 'Ihr Pfad, unter einem Ordner, den Importe lesen dürfen',
  host: 'Rechner',
  port: 'Port',
  database: 'Datenbank',
  schema: 'Schema',
  encryption: 'Verschlüsselung',
  findTables: 'Tabellen auflisten',
  noGeometry: 'ohne Geometrie',
  adminsOnly: 'Aus Datenbanken importieren nur Administratoren.',
  into: (name: string) => `In ${name} hinein`,
  lookAt: (name: string) => `${name} ansehen`,
  names: { address: 'Eine Adresse', folder: 'Ein Ordner auf dem Server', database: 'Eine Datenbank' },
  hints: {
    address: 'https, ftp, sftp, s3',
    folder: 'Dateien, Ordner und Mosaike aus Rastern',
    database: 'PostGIS, MySQL, GeoPackage, SpatiaLite',
  },
  tables: (value: number) => count(value, 'Tabelle', 'Tabellen'),
  takeTables: (value: number) => `${count(value, 'Tabelle', 'Tabellen')} ansehen`,
  rows: (value: number) => count(value, 'Zeile', 'Zeilen'),
}
