import { ownValue } from '../../core/values/record-keys.ts'

/** Label of layers that the caller may not read. */
const hiddenLayers = '(not shown)'

const layerLine = /^(\w+\{(?:[^{}]*,)?layer=")((?:[^"\\]|\\.)*)("(?:,[^{}]*)?\} )(\S+)$/
const escapes: Record<string, string> = { '\\n': '\n', '\\\\': '\\', '\\"': '"' }

/**
 * Returns metrics in the text format of Prometheus in which the values of layers that `isReadable` refuses are summed
 * under one label. Totals stay.
 */
export async function hideLayers(
  text: string,
  isReadable: (layer: string) => Promise<boolean>,
): Promise<string> {
  const lines: string[] = []
  const readable = new Map<string, boolean>()
  /** Asks once for each layer, which has several lines. */
  const isShown = async (layer: string): Promise<boolean> => {
    if (!layer.includes(':')) return true
    const found = readable.get(layer) ?? (await isReadable(layer))
    readable.set(layer, found)
    return found
  }
  /** Sums by the position of their line. */
  const sums = new Map<string, { at: number; value: number }>()
  for (const line of text.split('\n')) {
    const [, before, label = '', after, value] = layerLine.exec(line) ?? []
    const layer = label.replace(/\\[n\\"]/g, (found) => ownValue(escapes, found) ?? found)
    if (before === undefined || (await isShown(layer))) {
      lines.push(line)
      continue
    }
    const key = `${before}${hiddenLayers}${after}`
    const sum = sums.get(key) ?? { at: lines.length, value: 0 }
    sum.value += Number(value)
    if (sums.has(key)) lines[sum.at] = key + sum.value
    else lines.push(key + sum.value)
    sums.set(key, sum)
  }
  return lines.join('\n')
}
