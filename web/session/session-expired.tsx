import { Dialog } from '../components/dialog.tsx'
import { messages } from '../messages/messages.ts'
import { giveUp, isAsking } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Sign-in dialog over the page after a session has ended: waiting requests continue afterwards. */
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
