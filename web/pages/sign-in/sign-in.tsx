import { goTo, query } from '../../lib/router.ts'
import { messages } from '../../messages/messages.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'

/** `/app/sign-in?to=/app/import`: signs in and continues. */
export function SignInPage() {
  const texts = messages.value.signIn
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
      <SignInForm onDone={next} />
    </div>
  )
}
