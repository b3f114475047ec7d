import { callText, Refusal } from '../../../api/client.ts'

export const formats = [
  { format: 'maplibre', ending: 'json', name: 'MapLibre' },
  { format: 'sld', ending: 'sld', name: 'SLD' },
  { format: 'qml', ending: 'qml', name: 'QML (QGIS)' },
] as const
type Format = (typeof formats)[number]['format']

/** Losses by language; `none` if the language is not available. */
export type LostIn = Record<Format, string[] | 'none'>

/** The language that a document looks like. */
export function formatOf(text: string): Format {
  if (text.trimStart().startsWith('{')) return 'maplibre'
  return /<qgis[\s>]/.test(text.slice(0, 4000)) ? 'qml' : 'sld'
}

/** Loads the style in each language: the document lists its losses. */
export async function askLost(path: string, signal: AbortSignal): Promise<LostIn> {
  const [maplibre, sld, qml] = await Promise.all(
    formats.map(async ({ format }) => {
      const text = await callText({ path: `${path}.${format}` }, signal).catch((error: unknown) => {
        if (error instanceof Refusal && error.status === 404) return undefined
        throw error
      })
      return text === undefined ? ('none' as const) : lostIn(format, text)
    }),
  )
  return { maplibre: maplibre ?? 'none', sld: sld ?? 'none', qml: qml ?? 'none' }
}

function lostIn(format: Format, text: string): string[] {
  if (format === 'maplibre') {
    const { metadata } = JSON.parse(text) as { metadata?: Record<string, unknown> }
    const lost = metadata?.['terrane:not-converted']
    return Array.isArray(lost) ? lost.map(String) : []
  }
  const xml = new DOMParser().parseFromString(text, 'text/xml')
  return format === 'sld' ? commentsOf(xml) : optionsOf(xml)
}

const mark = 'Not converted: '

function commentsOf(xml: Document): string[] {
  const found = [...xml.childNodes].find((one) => one.nodeType === Node.COMMENT_NODE)
  const text = found?.textContent?.trim() ?? ''
  return text.startsWith(mark) ? text.slice(mark.length).split('; ') : []
}

function optionsOf(xml: Document): string[] {
  const option = xml.querySelector('Option[name="terrane/not-converted"]')
  return option?.getAttribute('value')?.split('; ') ?? []
}
