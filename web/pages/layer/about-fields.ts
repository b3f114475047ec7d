import type { AboutLayer } from './types.ts'

export const fields = [
  'title',
  'abstract',
  'keywords',
  'attribution',
  'licence',
  'contact',
  'owner',
  'citation',
  'doi',
] as const
type FieldName = (typeof fields)[number]

export function textOf(layer: AboutLayer, name: FieldName): string {
  const value = layer[name]
  return typeof value === 'object' ? value.join(', ') : (value ?? '')
}

/** Returns the changed fields. */
export function changesOf(layer: AboutLayer, form: FormData): AboutLayer {
  const changed = fields.filter((name) => String(form.get(name)) !== textOf(layer, name))
  return Object.fromEntries(
    changed.map((name) => {
      const text = String(form.get(name)).trim()
      const words = text.split(',').map((word) => word.trim())
      return [name, name === 'keywords' ? words.filter((word) => word !== '') : text]
    }),
  )
}
