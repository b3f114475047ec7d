import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { goTo, query } from '../../lib/router.ts'
import { messages } from '../../messages/messages.ts'
import { findSession, session } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import type { Provider } from './providers.tsx'
import { Providers } from './providers.tsx'

interface SignInReply {
  signIn: { providers: Provider[]; session: boolean }
}

/** `/app/sign-in?to=/app/import`: signs in and continues. */
export function SignInPage() {
  const texts = messages.value.signIn
  const [providers, setProviders] = useState<Provider[]>([])
  const next = (): void => {
    const to = query.peek().get('to') ?? '/'
    goTo(/^\/(?:app\/.*)?(?:\?.*)?$/.test(to) ? to : '/', { isReplaced: true })
  }
  const load = async (): Promise<void> => {
    const { signIn } = await call<SignInReply>({ path: '/rest/security/sign-in', isSignIn: true })
    setProviders(signIn.providers)
    // After the return from a provider, or behind a proxy that names the user.
    if (!signIn.session) return
    await findSession({ isForced: true })
    if (session.peek() !== null && session.peek() !== undefined) next()
  }
  useEffect(() => {
    load().catch(() => undefined)
  }, [])
  return (
    <div class="sign-in stack s5">
      <div class="stack s2">
        <h1>{texts.title}</h1>
        <p class="dim">{texts.hint}</p>
      </div>
      <Providers providers={providers} />
      <SignInForm onDone={next} />
    </div>
  )
}
