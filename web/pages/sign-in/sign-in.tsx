import { useEffect } from 'preact/hooks'
import { goTo, query } from '../../lib/router.ts'
import { messages } from '../../messages/messages.ts'
import { findSession, session } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { Providers } from './providers.tsx'

/** `/app/sign-in?to=/app/import`: signs in and continues. */
export function SignInPage() {
  const texts = messages.value.signIn
  // After the return from a provider, or behind a proxy that names the user, there is a session already.
  useEffect(() => {
    void findSession({ isForced: true }).then(() => {
      if (session.peek() !== null && session.peek() !== undefined) next()
    })
  }, [])
  const next = (): void => {
    const to = query.peek().get('to') ?? '/'
    goTo(/^\/(?:app\/.*)?(?:\?.*)?$/.test(to) ? to : '/', { isReplaced: true })
  }
  return (
    <div class="sign-in stack s5">
      <div class="stack s2">
        <h1>{texts.title}</h1>
        <p class="dim">{texts.hint}</p>
      </div>
      <Providers />
      <SignInForm onDone={next} />
    </div>
  )
}
