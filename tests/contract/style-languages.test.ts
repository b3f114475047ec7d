import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatOfName, formatOfType, plainStyleName } from '../../src/api/rest/catalog/style-documents.ts'
import { Failure } from '../../src/core/errors/errors.ts'
import { convertStyle } from '../../src/styles/convert-style.ts'
import { styleLanguages } from '../../src/styles/languages.ts'
import type { StyleLanguage } from '../../src/styles/style-language.ts'
import { styleMessages } from '../../src/styles/style-messages.ts'
import { roundTrip } from '../support/style-round-trip.ts'
import { styledFeatures } from '../support/styled-features.ts'

const languages: readonly StyleLanguage[] = styleLanguages
const polygon = {
  rules: [{ symbols: [{ kind: 'polygon' as const, fill: { color: '#ff0000', opacity: 1 } }] }],
  lost: [],
}

/** A document that each language must accept: one that it writes, or `{}` if it writes none. */
function documentOf({ write }: StyleLanguage): string {
  return write(polygon, 'a')?.document ?? '{}'
}

describe('the registry of style languages', () => {
  it('has unique names, media types and extensions', () => {
    for (const names of [
      languages.map(({ format }) => format),
      languages.flatMap(({ mediaTypes }) => [...mediaTypes]),
      languages.flatMap(({ extensions }) => [...extensions]),
    ])
      assert.deepEqual([...new Set(names)], names)
  })

  for (const language of styleLanguages)
    describe(`style language ${language.format}`, () => {
      it('is found by its media types and extensions', () => {
        const { format, mediaTypes, extensions } = language
        for (const type of mediaTypes) assert.equal(formatOfType(`${type}; charset=utf-8`), format)
        for (const extension of extensions) assert.equal(formatOfName(`a.b.${extension}`), format)
        for (const extension of extensions.filter((one) => one !== 'json'))
          assert.equal(plainStyleName(`roads.${extension}`), 'roads')
      })

      it('writes each rule so that it reads back equal, or names what is missing', () => {
        for (const { name, rules } of styledFeatures) roundTrip(rules, language, name)
      })

      it('converts to every language that has a document for the style', () => {
        const { format } = language
        const document = documentOf(language)
        assert.ok(Array.isArray(styleMessages({ format, document })))
        for (const other of styleLanguages) {
          const converted = convertStyle({ name: 'a', format, document }, other.format)
          if (converted !== undefined) other.check(converted)
          else assert.equal(other.write(polygon, 'a'), undefined, `${format} as ${other.format}`)
        }
      })

      it('refuses other documents with a reason', () => {
        for (const document of ['', '[', 'null', '<a', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
          assert.throws(
            () => {
              language.check(document)
              language.read(document)
            },
            (error) => error instanceof Failure && error.code === 'invalid-style' && error.message !== '',
            `${language.format}: ${document}`,
          )
      })
    })
})
