import { Type } from 'typebox'
import type { Area } from './app-types.ts'

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), node: Type.String() })

export const healthArea: Area = (app, { version }) => {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: { tags: ['server'], summary: 'Whether the server is up', response: { 200: Health } },
    },
    () => ({ status: 'ok', version, node: process.versions.node }),
  )
}
