/** What users of OpenID Connect client libraries must know, in CommonMark. */
export const openIdText = `## OpenID Connect clients

Common client libraries find what they need at \`/.well-known/openid-configuration\`. Register an
application with \`POST /merchant/v1/application/\`: its \`id\` is the client id, and its
\`client_secret\` is shown once. A \`public\` one has no secret. Then tell the library:

- the issuer: the address of this service, as \`issuer\` in that document has it;
- the flow: authorization code, with PKCE (\`S256\`);
- the scopes: \`openid\`, and what you need of \`profile email phone address\`;
- the redirect URI: one of the application's \`redirect_uris\`, letter for letter;
- the client's authentication: \`client_secret_basic\` or \`client_secret_post\`.

Claims come from userinfo, not from the ID token. The ID token says who signed in (\`sub\`) and when;
\`GET /oauth2/v1/userinfo\` with the access token answers the name, e-mail address, phone number and
address that the payer has granted. A library that reads claims from the ID token has to be told so:
\`fetchUserInfo\` in \`openid-client\` for Node, \`GetClaimsFromUserInfoEndpoint = true\` in ASP.NET,
\`client.userinfo(token=token)\` in Authlib for Python. Spring Security asks userinfo by itself.
\`shipping_address\` and the national identity number have endpoints of their own: see OAuth.

Know a user by \`sub\`, not by the e-mail address, which people change. A payer has another \`sub\` for
each merchant.`
