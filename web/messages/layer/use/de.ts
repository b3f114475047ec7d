import type { UseTexts } from './en.ts'

type Words = Partial<Record<string, string>>

const features: Words = {
  QGIS: 'Oder von Hand: Layer, Layer hinzufügen, WFS-/OGC-API-Features-Layer hinzufügen, Neu, mit dieser Adresse, Version OGC API - Features.',
  ArcGIS:
    'In ArcGIS Pro: Einfügen, Verbindungen, Server, Neuer OGC-API-Server, mit dieser Adresse. Dann den Layer aus dem Bereich Katalog hinzufügen. Mit ArcGIS selbst ist das nicht erprobt.',
  OpenLayers: 'Die Seite zeichnet Vektorkacheln, in einem eigenen Stil.',
  MapLibre: 'Die Seite zeichnet den Layer in seinem Stil.',
}
const raster: Words = {
  QGIS: 'Oder von Hand: im Browser, XYZ Tiles, Neue Verbindung, mit dieser Adresse.',
  ArcGIS:
    'In ArcGIS Online und Pro: einen Kachel-Layer aus einer URL hinzufügen, mit dieser Adresse. Mit ArcGIS selbst ist das nicht erprobt.',
  MapLibre: 'Die Seite zeichnet den Layer in seinem Stil.',
}
const needs: Words = {
  R: 'Braucht R mit dem Paket sf, für Raster terra.',
  Python: 'Braucht Python 3.8 und sonst nichts.',
  GDAL: 'Braucht GDAL 3.4 oder neuer.',
  MapLibre: 'Nimmt MapLibre GL von unpkg.com.',
  Leaflet: 'Nimmt Leaflet von unpkg.com.',
  OpenLayers: 'Nimmt OpenLayers von unpkg.com.',
}

export const de: UseTexts = {
  title: 'Verwenden in',
  programs: 'Programm',
  copy: 'Kopieren',
  qlr: 'Für QGIS herunterladen (.qlr)',
  qlrHint: 'Ziehen Sie die Datei in QGIS: Der Layer ist da, in seinem Stil.',
  codeFor: (program: string) => `Code für ${program}`,
  leaflet: {
    features: 'Die Seite holt alle Objekte. Leaflet zeichnet sie in seinem eigenen Stil.',
    tiles: 'Die Seite zeigt Bilder des Layers in seinem Stil: Er hat mehr Objekte, als Leaflet zeichnet.',
    first: 'Die Seite holt die ersten 1.000 Objekte: Ohne bekanntes Koordinatensystem gibt es keine Kacheln.',
  },
  steps: { features, raster },
  needs,
  token: {
    code: 'Dieser Layer ist nicht öffentlich. Setzen Sie einen Token an die Stelle von TOKEN. Seiten anderer Server brauchen auch TERRANE_CORS_ORIGINS.',
    login:
      'Dieser Layer ist nicht öffentlich. Das Programm fragt nach einer Anmeldung: Benutzer und Passwort dieses Servers.',
  },
  tokens: 'Token anlegen',
  addresses: 'Adressen zum Einfügen',
  layerThere: 'Der Layer heißt dort:',
  copyAddress: (service: string) => `Adresse von ${service} kopieren`,
  services: {
    'OGC API': 'Daten und Karten, für neuere Programme',
    WMS: 'Karten als Bilder',
    WMTS: 'Karten als Kacheln',
    WFS: 'Objekte',
    WCS: 'Zellen',
    XYZ: 'Kacheln als Bilder',
    MVT: 'Vektorkacheln',
  },
}
