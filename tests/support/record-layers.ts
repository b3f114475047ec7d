import type { ListedLayer } from './listed-layers.ts'

const text = (name: string) => ({ name, type: 'text' as const })
const table = { attributes: [text('code')], geometry: undefined }
export const box = (minX: number, minY: number, maxX: number, maxY: number) => ({
  envelope: { minX, minY, maxX, maxY },
})

export const reported: ListedLayer[] = [
  {
    workspace: 'open',
    name: 'trees',
    isPublic: true,
    details: {
      title: 'Bäume  der\nStadt',
      abstract: 'Every tree,\nby street',
      keywords: ['Forst', 'Green  city'],
      licence: 'CC-BY-4.0',
      attribution: '© City',
      contact: 'City maps <maps@city.example>',
      citation: 'City (2026): Trees',
      doi: '10.1234/trees',
      ...box(13, 52, 14, 53),
    },
  },
  {
    workspace: 'open',
    name: 'straßen',
    isPublic: true,
    details: { title: 'Roads', licence: 'https://city.example/terms', ...box(-10, -10, 5, 5) },
  },
  {
    workspace: 'open',
    name: 'fiji',
    isPublic: true,
    details: { title: 'Islands', licence: 'ask us', ...box(177, -20, 183, -15) },
  },
  { workspace: 'open', name: 'codes', isPublic: true, details: { title: 'Codes', schema: table } },
  {
    workspace: 'open',
    name: 'sky',
    isPublic: true,
    details: {
      title: 'Pictures of the sky',
      kind: 'raster',
      times: {
        from: '2020-01-01T00:00:00.000Z',
        to: '2020-06-30T12:00:00.000Z',
        count: 2,
        values: ['2020-01-01T00:00:00.000Z', '2020-06-30T12:00:00.000Z'],
      },
    },
  },
  { workspace: 'closed', name: 'secret', isPublic: false, details: { title: 'Secret trees' } },
]
