import { countingOf } from '../../counting.ts'
import type { en } from './en.ts'

const { number, count } = countingOf('de')

export const de: typeof en = {
  title: 'Herunterladen',
  format: 'Format',
  crs: 'Koordinatensystem',
  crsHint: 'Jeder Code, etwa EPSG:25832. Leer: wie der Layer',
  crsHintWgs84: 'Leer: WGS 84',
  onlyWgs84: 'Immer WGS 84',
  whole: 'Der ganze Layer',
  filtered: 'Nur, was der Filter übrig lässt',
  boxed: 'Nur, was die Karte zeigt',
  both: 'Nur, was Filter und Karte übrig lassen',
  ofVersion: (version) => `Version ${version}`,
  cut: 'Nur, was die Karte zeigt',
  make: 'Herunterladen',
  making: 'Die Datei wird erstellt',
  waiting: 'Andere werden zuerst erstellt',
  progress: (done, total) => `${number(done)} von ${count(total, 'Zeile', 'Zeilen')}`,
  cancel: 'Abbrechen',
  save: 'Noch einmal speichern',
  ready: (size) => `Die Datei ist fertig: ${size}`,
  losses: 'Nicht wie im Layer',
  loses: {
    gpkg: 'Behält alles bis auf die Nummern der Zeilen. Für QGIS, ArcGIS und GDAL.',
    geojson: 'Tage und Zeiten werden Texte. Für das Web.',
    csv: 'Eine Tabelle mit der Geometrie als Text, ohne ihr Koordinatensystem. Für Tabellenprogramme.',
    shp: 'Namen werden auf 10 Byte gekürzt, Texte auf 254; Zeiten werden Texte; jede Art von Geometrie ist eine Datei. In einem Zip.',
    fgb: 'Uhrzeiten werden Texte; Zeilen ohne Geometrie fehlen. Für große Layer im Web und für GDAL.',
    parquet: 'Behält alles bis auf die Nummern der Zeilen. Für die Auswertung von Daten.',
    kml: 'Immer WGS 84; die meisten Werte werden Texte. Für Google Earth.',
    tif: 'Ein GeoTIFF für die Cloud (COG).',
  },
}
