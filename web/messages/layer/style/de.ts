import type { StyleTexts } from './en.ts'
import { rasterDe } from './raster-de.ts'

export const de: StyleTexts = {
  title: (layer: string) => `Stil von ${layer}`,
  preview: 'Karte im Stil, wie er bearbeitet ist',
  notSaved: 'nicht gespeichert',
  isDefault: 'in Gebrauch',
  isSaved: 'Der Stil ist gespeichert. Der Layer hat eine neue Version.',
  meanwhile:
    'Jemand anderes hat diesen Stil inzwischen gespeichert. Was Sie hier haben, bleibt auf dieser Seite und ist nicht gespeichert.',
  takeTheirs: 'Den anderen zeigen, meinen verwerfen',
  putMine: 'Meinen an seine Stelle setzen',
  save: 'Speichern',
  discard: 'Verwerfen',
  makesOwn: (name: string) =>
    `Diesen Stil hat jeder Arbeitsbereich. Speichern macht einen eigenen, „${name}“.`,
  foreign:
    'Dieser Stil sagt mehr, als sich hier ändern lässt. Er bleibt, wie er ist. Eine Wahl unten beginnt an seiner Stelle einen neuen.',
  mode: 'Wie Zeilen unterschieden werden',
  modes: { one: 'Eines', categories: 'Kategorien', classes: 'Klassen' },
  by: 'Nach',
  method: 'Grenzen',
  methods: {
    quantile: 'Quantile: in jeder Klasse gleich viele',
    equal: 'Gleiche Breiten',
    natural: 'Natürliche Grenzen',
    own: 'Eigene Grenzen',
  },
  counts: { classes: 'Klassen', categories: 'Werte' },
  looking: 'Alle Werte werden angesehen.',
  limits: { limit: (number: number) => `Grenze ${number}`, hint: 'ziehen, oder Pfeiltasten' },
  palettes: {
    title: 'Farben, alle auch für Farbenblinde unterscheidbar',
    one: (name: string, kind: 'sequence' | 'diverging' | 'set') =>
      `${name}, ${{ sequence: 'von wenig zu viel', diverging: 'von einer Mitte nach beiden Seiten', set: 'für Kategorien' }[kind]}`,
    reversed: 'Andersherum',
  },
  rows: {
    color: 'Farbe',
    upper: 'Bis',
    value: 'Wert',
    title: 'In der Legende',
    noLimit: 'ohne Grenze',
    colorOf: (title: string) => `Farbe von ${title}`,
    titleOf: (title: string) => `Text von ${title} in der Legende`,
    upperOf: (number: number) => `Obere Grenze von Klasse ${number}`,
    remove: (value: string) => `${value} den anderen Werten lassen`,
    others: 'Andere Werte',
    none: 'Kein Wert',
  },
  symbol: {
    title: 'Zeichen',
    color: 'Farbe',
    opacity: 'Deckkraft',
    width: 'Breite, px',
    size: 'Größe, px',
    mark: 'Form',
    marks: { circle: 'Kreis', square: 'Quadrat', triangle: 'Dreieck', star: 'Stern', cross: 'Kreuz', x: 'X' },
    markHint:
      'Webkarten zeichnen an seiner Stelle einen Kreis. Legende, Vorschaubild, SLD und QGIS zeichnen die Form.',
    lineColor: 'Rand',
    lineWidth: 'Rand, px',
  },
  label: {
    title: 'Beschriftung',
    column: 'Aus',
    size: 'Größe, px',
    color: 'Farbe',
    haloColor: 'Umrandung',
    haloWidth: 'Umrandung, px',
  },
  legend: {
    title: 'Legende',
    of: (name: string) => `Legende des Stils ${name}, wie der Server sie zeichnet`,
    isKept: 'Wie gespeichert. Ihre Änderungen stehen nach dem Speichern darin.',
  },
  saved: {
    which: 'Stil',
    everywhere: 'jedes Arbeitsbereichs',
    isDefault: 'in Gebrauch',
    makeDefault: 'Für diesen Layer verwenden',
    isDefaultNow: (name: string) => `Der Layer wird jetzt nach „${name}“ gezeichnet.`,
    acts: { copy: 'Kopieren', rename: 'Umbenennen', remove: 'Entfernen' },
    titles: {
      copy: (name: string) => `„${name}“ kopieren`,
      rename: (name: string) => `„${name}“ umbenennen`,
      remove: (name: string) => `„${name}“ entfernen`,
    },
    newName: 'Name',
    removeHint:
      'Das lässt sich nicht rückgängig machen. Ein Stil, den ein Layer verwendet, lässt sich nicht entfernen.',
  },
  documents: {
    title: 'SLD, QML, MapLibre',
    whole: 'Sagt alles.',
    cannot: 'Dieser Stil lässt sich darin nicht sagen.',
    loses: (parts: string[]) => `Sagt nicht: ${parts.join(', ')}.`,
    paste: 'Stil eines anderen Programms einfügen',
    file: 'Oder seine Datei wählen',
    name: 'Name des neuen Stils',
    take: 'Hinzufügen',
    takeAs: (format: 'maplibre' | 'sld' | 'qml', name: string) =>
      `${{ maplibre: 'MapLibre', sld: 'SLD', qml: 'QML' }[format]} als „${name}“ hinzufügen`,
    taken: (name: string) => `„${name}“ ist da. Der Layer wird gezeichnet wie vorher.`,
    look: 'Ansehen',
  },
  raster: rasterDe,
}
