import fastifyMultipart from '@fastify/multipart'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { App } from '../../app-types.ts'

const maxFields = 1000
const maxFormBytes = 256 * 1024

/** Accepts forms: the body is an object of texts, with a list for a name that was sent several times. */
export async function acceptForms(app: App): Promise<void> {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: unknown, body: string) => parseForm(body),
  )
  await app.register(fastifyMultipart, {
    attachFieldsToBody: 'keyValues',
    limits: { files: 0, fields: maxFields, parts: maxFields, fieldSize: maxFormBytes },
  })
}

/** The fields of a form's text. */
function parseForm(text: string): Record<string, string | string[]> {
  if (/^\s*[{[]/.test(text))
    throw invalid(
      'form-is-json',
      'The body is JSON and not a form: send it as Content-Type: application/json',
    )
  const fields = new Map<string, string | string[]>()
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    count += 1
    if (count > maxFields)
      throw new Failure('tooLarge', 'body-too-wide', `A form has at most ${maxFields} fields`)
    const known = fields.get(name)
    fields.set(name, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(fields)
}
