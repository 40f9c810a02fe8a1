# For Kakoune with kakoune-lsp 17 or newer: into kakrc, between `eval %sh{kak-lsp}` and `lsp-enable`.
# Newer versions start a language's usual server only where `lsp_servers` is empty: name it in here too, if you want both.
hook -group lsp-shardlint global BufSetOption filetype=(?:yaml|toml|json|sh) %{
    set-option -add buffer lsp_servers %{
        [shardlint]
        root_globs = ["shardlint.toml", ".git"]
        command = "shardlint"
        args = ["lsp"]
    }
}
