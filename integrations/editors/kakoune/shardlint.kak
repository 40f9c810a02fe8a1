# For Kakoune with kakoune-lsp 17 or newer: into kakrc, behind `eval %sh{kak-lsp}`.
hook -group lsp-shardlint global BufSetOption filetype=(?:yaml|toml|json|sh) %{
    set-option -add buffer lsp_servers %{
        [shardlint]
        root_globs = ["shardlint.toml", ".git"]
        command = "shardlint"
        args = ["lsp"]
    }
}
