import { messages } from '../messages/messages.ts'
import { Dialog } from '../parts/dialog.tsx'
import { giveUp, isAsking } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Asks for a login over the page where the session has ended: what waits goes on after it. */
export function SessionExpired() {
  if (!isAsking.value) return null
  const texts = messages.value.signIn
  return (
    <Dialog title={texts.title} onClose={giveUp}>
      <p class="dim">{texts.expired}</p>
      <SignInForm onDone={() => undefined} />
    </Dialog>
  )
}
