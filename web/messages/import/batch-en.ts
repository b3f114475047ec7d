import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

export const batchEn = {
  shownLayers: 'Layers that are shown',
  views: {
    all: (value: number) => `All ${number(value)}`,
    decide: (value: number) => `To decide ${number(value)}`,
    ready: (value: number) => `Ready ${number(value)}`,
    failed: (value: number) => `Failed ${number(value)}`,
    done: (value: number) => `Done ${number(value)}`,
  },
  search: 'Find a layer',
  noneShown: 'No layer is like that.',
  keysHint: 'J and K go through the layers.',
  layers: (value: number) => count(value, 'layer', 'layers'),
  withRejected: (state: string, value: number) => `${state}, ${count(value, 'row', 'rows')} rejected`,
  loadedOf: (value: number, all: number) =>
    `${number(value)} of ${count(all, 'layer is', 'layers are')} loaded.`,
}

export type BatchTexts = typeof batchEn
