import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Field } from '../../../components/field.tsx'
import { sourcesTexts } from '../../../messages/import/texts.ts'
import { CommandOutput } from './source-messages.tsx'
import { importCallOf, useBegin } from './use-begin.ts'

/** Data at a URL, with optional credentials. */
export function AddressForm() {
  const texts = sourcesTexts.value
  const { begin, error } = useBegin()
  return (
    <form
      class="stack s2"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        const output = (name: string): string => String(data.get(name) ?? '')
        void begin(
          importCallOf({
            type: 'remote',
            location: output('location').trim(),
            ...(output('username') !== '' && { username: output('username'), password: output('password') }),
          }),
        )
      }}
    >
      <Field name="location" label={texts.address} hint={texts.addressHint} required={true} />
      <details class="stack s2">
        <summary>{texts.withLogin}</summary>
        <Field name="username" label={texts.user} />
        <Field name="password" type="password" label={texts.password} hint={texts.passwordHint} />
      </details>
      <CommandOutput error={error.value} />
      <div class="row wrap">
        <button type="submit" class="btn main">
          {texts.look}
        </button>
        <CopyAsCurl call={importCallOf({ type: 'remote', location: 'https://example.org/roads.zip' })} />
      </div>
    </form>
  )
}
