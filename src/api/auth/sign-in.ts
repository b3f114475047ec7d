import { Type } from 'typebox'
import type { Accounts } from '../../access/index.ts'
import { operation } from '../endpoint.ts'

export type SignInDeps = Pick<Accounts, 'providers'>

export const describeSignIn = operation({
  summary: 'List sign-in methods',
  description:
    'Sign-in methods for a sign-in page: user name and password, passkeys, and the OpenID Connect provider.',
  tags: ['security'],
  answers: {
    200: Type.Object({
      signIn: Type.Object({
        password: Type.Boolean(),
        passkeys: Type.Boolean(),
        directory: Type.Boolean({ description: 'Passwords of an LDAP directory are accepted too' }),
        providers: Type.Array(
          Type.Object({ type: Type.Literal('oidc'), title: Type.String(), href: Type.String() }),
        ),
        session: Type.Boolean({ description: 'True if the caller is signed in already' }),
      }),
    }),
  },
  handle: ({ providers }: SignInDeps, request) => {
    const { oidc, hasDirectory } = providers
    const href = request.link('/rest/security/oidc/start')
    const listed = oidc === undefined ? [] : [{ type: 'oidc', title: oidc.settings.title, href }]
    const session = request.caller.name !== undefined
    return { signIn: { password: true, passkeys: true, directory: hasDirectory, providers: listed, session } }
  },
})
