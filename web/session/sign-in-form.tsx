import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Refusal } from '../api/client.ts'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { reasonOf } from '../components/states.tsx'
import { messages } from '../messages/messages.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { session, signIn } from './session.ts'

/** User and password; `onDone` follows a login that was accepted. */
export function SignInForm({ onDone }: { onDone(): void }) {
  const texts = messages.value.signIn
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    isBusy.value = true
    error.value = undefined
    try {
      const code = data.get('code')
      await signIn(
        String(data.get('user')),
        String(data.get('password')),
        code === null ? undefined : String(code),
      )
      onDone()
    } catch (refusal) {
      error.value = refusal
    } finally {
      isBusy.value = false
    }
  }
  const reason = error.value instanceof Refusal ? error.value.code : undefined
  const needsCode = reason === 'code-needed' || reason === 'wrong-code'
  // The password was right when the code is asked for.
  const isWrong = error.value !== undefined && !needsCode
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (needsCode) form.current?.querySelector<HTMLInputElement>('input[name=code]')?.focus()
  }, [needsCode])
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <NameAndPassword wrong={isWrong ? reasonOf(error.value) : undefined} />
      {needsCode && (
        <Field
          label={texts.code}
          hint={texts.codeHint}
          error={reason === 'wrong-code' ? reasonOf(error.value) : undefined}
          name="code"
          autocomplete="one-time-code"
          required
        />
      )}
      <button type="submit" class={`btn main big${isBusy.value ? ' busy' : ''}`}>
        {isBusy.value && <span class="spin" aria-hidden="true" />}
        {texts.act}
      </button>
      <PasskeyButton onDone={onDone} />
    </form>
  )
}

function NameAndPassword({ wrong }: { wrong: string | undefined }) {
  const texts = messages.value.signIn
  const id = useId()
  return (
    <>
      <div class="field">
        <label for={`${id}u`}>{texts.user}</label>
        <input
          class="in"
          id={`${id}u`}
          name="user"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          defaultValue={session.peek()?.user ?? ''}
        />
      </div>
      <div class="field">
        <label for={`${id}p`}>{texts.password}</label>
        <input
          class="in"
          id={`${id}p`}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-invalid={wrong !== undefined}
          aria-describedby={`${id}e`}
        />
        <div id={`${id}e`} role="alert">
          {wrong !== undefined && (
            <p class="err">
              <Icon name="bad" />
              <span dir="auto">{wrong}</span>
            </p>
          )}
        </div>
      </div>
    </>
  )
}
