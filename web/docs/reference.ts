import { html } from 'hono/html'
import type { Names } from '../../http/brand.ts'
import type { Html } from '../ui/page.ts'

/** What requests from the page are made with; the script reads it, and nothing of it is kept. */
const credentialsHtml = html`<details class="credentials" open>
  <summary>Credentials of requests that you try here</summary>
  <form id="credentials" autocomplete="off">
    <label>Merchant <input name="merchant" value="sandbox" /></label>
    <label>User <input name="user" value="pos1" /></label>
    <label>Secret <input name="secret" value="sandbox-secret" /></label>
    <label
      >Private key, for level KEY
      <textarea name="key" rows="3" placeholder="-----BEGIN PRIVATE KEY-----"></textarea>
    </label>
    <label>or its file <input type="file" name="file" accept=".pem,.key" /></label>
    <p class="quiet" id="signing" role="status">
      Merchant requests carry the secret. With a private key they are signed instead: use the user
      <code>admin</code> and <code>sandbox-admin-key.pem</code> from the directory of the data. The
      key does not leave this page.
    </p>
  </form>
</details>`

/** Where the viewer draws the reference, and what its script must know. */
export const referenceHtml = (names: Names, isSandbox: boolean): Html => html`
  ${isSandbox ? credentialsHtml : ''}
  <h2 id="operations-and-callbacks">Operations and callbacks</h2>
  <noscript>
    <p>
      The reference needs JavaScript. The guides and <a href="/docs/interface">the interface</a> do
      not.
    </p>
  </noscript>
  <div
    id="viewer"
    data-sandbox="${String(isSandbox)}"
    data-prefix="${names.merchant.slice(0, -'-Merchant'.length)}"
  ></div>
`
