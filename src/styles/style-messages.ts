import { writeStyle } from './convert-style.ts'
import { notInPictures } from './draw/supported-styling.ts'
import type { StyleFormat } from './languages.ts'
import { styleLanguages } from './languages.ts'
import { readStyle } from './read-style.ts'

/** A message about a style when it is stored. */
export interface StyleMessage {
  level: 'info' | 'warning'
  code: 'style-partly-read' | 'style-partly-drawn'
  message: string
}

/** Maximum number of messages for each language. */
const most = 30

/**
 * Returns messages about parts of a style document that are not supported, and so not drawn, and parts that
 * each of the other languages cannot express. Throws `Failure` (`invalid`) if the document is invalid in its
 * format.
 */
export function styleMessages(document: { format: StyleFormat; document: string }): StyleMessage[] {
  const style = readStyle(document)
  if (style === undefined)
    return [
      { level: 'warning', code: 'style-partly-read', message: 'The document says nothing that can be drawn' },
    ]
  const unread = style.lost
    .slice(0, most)
    .map(
      (what): StyleMessage => ({
        level: 'warning',
        code: 'style-partly-read',
        message: `Not understood, so not drawn: ${what}`,
      }),
    )
  const known = new Set(style.lost)
  const others = styleLanguages.filter(({ format }) => format !== document.format)
  return [
    ...unread,
    ...others.flatMap(({ format, title }) =>
      unwritten(title, writeStyle(style, 'style', format)?.lost ?? [], known),
    ),
    ...notInPictures(style).map(
      (what): StyleMessage => ({
        level: 'info',
        code: 'style-partly-drawn',
        message: `Not in legends or thumbnails as it is said: ${what}`,
      }),
    ),
  ]
}

function unwritten(title: string, lost: string[], known: Set<string>): StyleMessage[] {
  return lost
    .filter((what) => !known.has(what))
    .slice(0, most)
    .map((what) => ({ level: 'info', code: 'style-partly-drawn', message: `Not said as ${title}: ${what}` }))
}
