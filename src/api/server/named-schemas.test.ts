import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { nameSchemas } from './named-schemas.ts'

const Link = Type.Object({ href: Type.String() }, { title: 'Link' })
const Page = Type.Object({ title: Type.String(), links: Type.Array(Link) }, { title: 'Page' })

describe('nameSchemas', () => {
  it('lets each schema with a title stand once', () => {
    const named = nameSchemas({ info: { title: 'Terrane' }, answers: [Page, { content: Link }] })
    assert.deepEqual(JSON.parse(JSON.stringify(named)), {
      info: { title: 'Terrane' },
      answers: [{ $ref: '#/components/schemas/Page' }, { content: { $ref: '#/components/schemas/Link' } }],
      components: {
        schemas: {
          Link: {
            type: 'object',
            title: 'Link',
            required: ['href'],
            properties: { href: { type: 'string' } },
          },
          Page: {
            type: 'object',
            title: 'Page',
            required: ['title', 'links'],
            properties: {
              title: { type: 'string' },
              links: { type: 'array', items: { $ref: '#/components/schemas/Link' } },
            },
          },
        },
      },
    })
  })

  it('refuses two meanings of one title', () => {
    const other = Type.Object({ rel: Type.String() }, { title: 'Link' })
    assert.throws(() => nameSchemas({ a: Link, b: other }), /Two different schemas have the title "Link"/)
  })
})
