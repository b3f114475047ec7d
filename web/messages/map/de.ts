import type { MapTexts } from './en.ts'

export const de: MapTexts = {
  title: 'Karte',
  layers: 'Layer',
  none: 'Auf der Karte liegt kein Layer.',
  noneHint: 'Suchen Sie unten einen.',
  add: 'Layer hinzufügen',
  up: (title: string) => `${title} nach oben`,
  down: (title: string) => `${title} nach unten`,
  remove: (title: string) => `${title} von der Karte nehmen`,
  opacity: 'Deckkraft',
  opacityOf: (title: string) => `Deckkraft von ${title}`,
  legendOf: (title: string) => `Legende von ${title}`,
  background: 'Hintergrundkarte',
  legend: 'Legende',
  share: 'Teilen',
  link: 'Link zu dieser Karte',
  frame: 'Code für eine eigene Seite',
  frameHint: 'Wer die Seite öffnet, sieht die öffentlichen Layer.',
  copy: (what: string) => `Kopieren: ${what}`,
  open: 'Groß öffnen',
}
