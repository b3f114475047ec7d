import { colourOf } from './course.ts'

/** Downloads a file with that name. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A table as RFC 4180 has it. What a program for tables would take for a formula is a text. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

function cellText(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A name of a file that every system takes. */
export function fileName(title: string, ending: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${plain.slice(0, 80) || 'chart'}.${ending}`
}

const margin = 16
const titleHeight = 28

/** Draws an image with its title on the page's background colour, and downloads it. */
export function savePicture(
  title: string,
  size: { width: number; height: number },
  draw: (context: CanvasRenderingContext2D) => void,
): void {
  const scale = Math.max(2, devicePixelRatio)
  const canvas = document.createElement('canvas')
  canvas.width = (size.width + 2 * margin) * scale
  canvas.height = (size.height + 2 * margin + titleHeight) * scale
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(scale, scale)
  context.fillStyle = colourOf('var(--surface)', document.body)
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = colourOf('var(--ink)', document.body)
  context.font = '600 15px "Plex Sans", sans-serif'
  context.fillText(title, margin, margin + 14, size.width)
  context.translate(margin, margin + titleHeight)
  draw(context)
  canvas.toBlob((blob) => {
    if (blob !== null) saveFile(fileName(title, 'png'), blob)
  }, 'image/png')
}
