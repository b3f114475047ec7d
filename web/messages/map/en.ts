export const en = {
  title: 'Map',
  layers: 'Layers',
  none: 'No layer is on the map.',
  noneHint: 'Find one below.',
  add: 'Add a layer',
  up: (title: string) => `Move ${title} up`,
  down: (title: string) => `Move ${title} down`,
  remove: (title: string) => `Take ${title} off the map`,
  opacity: 'Opacity',
  opacityOf: (title: string) => `Opacity of ${title}`,
  legendOf: (title: string) => `Legend of ${title}`,
  background: 'Background map',
  legend: 'Legend',
  share: 'Share',
  link: 'Link to this map',
  frame: 'Code for a page of yours',
  frameHint: 'Who opens the page sees the layers that are public.',
  copy: (what: string) => `Copy: ${what}`,
  open: 'Open large',
}

export type MapTexts = typeof en
