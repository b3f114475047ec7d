import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { accountTexts } from '../../messages/account/texts.ts'
import { session, signIn } from '../../session/session.ts'

/** Change of the own password. */
export function Password() {
  const texts = accountTexts.value
  const [error, setError] = useState<string>()
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const data = new FormData(form)
    const newPassword = String(data.get('password'))
    const body = { currentPassword: String(data.get('current')), newPassword }
    try {
      await call({ method: 'PUT', path: '/rest/security/self/password', body })
      // The change ended all sessions of the user, including this one.
      await signIn(session.value?.user ?? '', newPassword)
      form.reset()
      setError(undefined)
      say(accountTexts.value.passwordChanged)
    } catch (failure) {
      setError(reasonOf(failure))
    }
  }
  return (
    <section class="panel">
      <header>
        <h2>{texts.password}</h2>
      </header>
      <form class="body stack" onSubmit={(event) => void submit(event)}>
        <input type="text" name="username" autocomplete="username" hidden value={session.value?.user} />
        <Field
          label={texts.currentPassword}
          name="current"
          type="password"
          autocomplete="current-password"
          required
        />
        <Field
          label={texts.newPassword}
          hint={texts.passwordHint}
          error={error}
          name="password"
          type="password"
          autocomplete="new-password"
          required
        />
        <button type="submit" class="btn main">
          {texts.changePassword}
        </button>
      </form>
    </section>
  )
}
